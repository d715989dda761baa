// Assets under content-hashed paths. Only for the built entry.
import { source as countdownSource } from './enhance/countdown.ts?script';
import { source as downloadSource } from './enhance/download.ts?script';
import { source as handOverSource } from './enhance/hand-over.ts?script';
import { source as passkeySource } from './enhance/passkey.ts?script';
import { source as passwordSource } from './enhance/password.ts?script';
import { source as sharedBrowserSource } from './enhance/shared-browser.ts?script';
import { source as uploadSource } from './enhance/upload.ts?script';
import { fontFaces, fonts } from './fonts.ts';
import { hashed } from './hashed.ts';
import iconSource from './icon.svg?raw';
import type { Asset } from './page.ts';
import styles from './pages.css?inline';

export const stylesheet: Asset = hashed('pages', 'css', 'text/css; charset=utf-8', fontFaces + styles);
/** The web app has its own styles. */
const fontSheet: Asset = hashed('fonts', 'css', 'text/css; charset=utf-8', fontFaces);
export const icon: Asset = hashed('icon', 'svg', 'image/svg+xml', iconSource);
export const countdownScript: Asset = script('countdown', countdownSource);
export const downloadScript: Asset = script('download', downloadSource);
export const handOverScript: Asset = script('hand-over', handOverSource);
export const passkeyScript: Asset = script('passkey', passkeySource);
export const passwordScript: Asset = script('password', passwordSource);
export const sharedBrowserScript: Asset = script('shared-browser', sharedBrowserSource);
export const uploadScript: Asset = script('upload', uploadSource);
export const assets: Asset[] = [
  stylesheet,
  icon,
  fontSheet,
  ...fonts,
  countdownScript,
  downloadScript,
  handOverScript,
  passkeyScript,
  passwordScript,
  sharedBrowserScript,
  uploadScript,
];

function script(name: string, source: string): Asset {
  return hashed(name, 'js', 'text/javascript; charset=utf-8', source);
}
