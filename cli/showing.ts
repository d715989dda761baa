// Shows an address: clipboard, browser, QR code.
import { plainText } from './plain-text.ts';
import { qrPicture } from './qr.ts';
import type { Session } from './session.ts';
import { webAddress } from './web-address.ts';
import type { World } from './world.ts';

export interface ShowFlags {
  copy?: boolean;
  qr?: boolean;
  open?: boolean;
}

export async function showAddresses(session: Session, urls: readonly string[], flags: ShowFlags): Promise<void> {
  const { world, settings, output } = session;
  if (urls.length === 0) return;
  if (flags.qr === true)
    for (const url of urls) {
      const picture = qrPicture(url, settings.hasColour);
      if (picture === null) output.warn('waybill: this address is too long for a QR code');
      else world.stderr.write(`${picture.join('\n')}\n`);
    }
  if (flags.copy === true) {
    if (await copyText(world, urls.map(plainText).join('\n'))) output.say('Copied.');
    else output.warn('waybill: there is no clipboard here; nothing was copied');
  }
  if (flags.open === true)
    for (const url of urls)
      if (!(await openAddress(world, url))) output.warn(`waybill: no browser could be opened; the address is ${url}`);
}

type Program = [command: string, ...args: string[]];

function clipboards({ platform, env }: World): Program[] {
  if (platform === 'win32') return [['clip']];
  if (platform === 'darwin') return [['pbcopy']];
  return [
    ...(env.WAYLAND_DISPLAY ? [['wl-copy'] satisfies Program] : []),
    ...(env.DISPLAY
      ? ([
          ['xclip', '-selection', 'clipboard'],
          ['xsel', '-ib'],
        ] satisfies Program[])
      : []),
  ];
}

async function copyText(world: World, text: string): Promise<boolean> {
  for (const [command, ...args] of clipboards(world)) if (await world.start(command, args, text)) return true;
  if (world.stderr.isTTY !== true || world.env.TERM === 'dumb') return false;
  // OSC 52 also works through SSH.
  world.stderr.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  return true;
}

async function openAddress(world: World, given: string): Promise<boolean> {
  const url = webAddress(given)?.href;
  if (url === undefined) return false;
  if (world.platform === 'win32') return world.start('rundll32', ['url.dll,FileProtocolHandler', url], null);
  return world.start(world.platform === 'darwin' ? 'open' : 'xdg-open', [url], null);
}
