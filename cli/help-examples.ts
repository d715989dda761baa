// Three examples for the help of each command.
import type { Command } from 'commander';

/** Key: the words of the command; '' for the program itself. */
export const helpExamples: Record<string, readonly [string, string, string]> = {
  '': [
    'waybill login https://files.example.com',
    'waybill send plan.pdf model.zip --to ben@example.com --subject Drawings',
    'waybill link video.mp4 --expires 14d',
  ],
  login: [
    'waybill login https://files.example.com',
    'waybill -p work login https://files.example.com',
    'waybill login --api-key-stdin < key.txt',
  ],
  logout: ['waybill logout', 'waybill -p work logout', 'waybill -q logout'],
  whoami: ['waybill whoami', 'waybill --json whoami', 'waybill -p work whoami'],
  send: [
    'waybill send plan.pdf model.zip --to ben@example.com --subject Drawings',
    'waybill send photos --zip --to ben@example.com,eva@example.com --expires 14d',
    'tar c project | waybill send - --name project.tar --to ben@example.com',
  ],
  request: [
    'waybill request --from ben@example.com --subject "The signed contract"',
    'waybill request --from ben@example.com --multi --expires 2w',
    'waybill -q request --from ben@example.com --no-email',
  ],
  drop: [
    'waybill drop https://files.example.com/filedrop/ann report.pdf',
    'waybill drop https://files.example.com/requests/ID scans --dir',
    'waybill -q drop https://files.example.com/filedrop/ann a.jpg b.jpg',
  ],
  upload: ['waybill upload report.pdf', 'waybill -q upload *.pdf', 'waybill --limit-rate 5MB/s upload video.mp4'],
  link: [
    'waybill link video.mp4 --expires 14d',
    'waybill link plan.pdf --generate-password --copy',
    'waybill link photos --zip --qr',
  ],
  links: ['waybill links ls', 'waybill links show ID', 'waybill links rm ID'],
  'links ls': ['waybill links ls', 'waybill --json links ls', 'waybill -q links ls'],
  'links show': ['waybill links show ID', 'waybill --json links show ID', 'waybill -p work links show ID'],
  'links set': [
    'waybill links set ID --expires 14d',
    'waybill links set ID --receipt',
    'waybill links set ID --no-require-auth',
  ],
  'links rm': ['waybill links rm ID', 'waybill links rm ID OTHER_ID', 'waybill -y links rm ID'],
  get: [
    'waybill get https://files.example.com/message/ID',
    'waybill get https://files.example.com/link/ID -o downloads',
    'waybill get https://files.example.com/link/ID -o - | tar x',
  ],
  verify: ['waybill verify receipt.json', 'waybill verify plan.pdf --against ID', 'waybill --json verify receipt.json'],
  list: ['waybill list', 'waybill --json list', 'waybill -q list'],
  show: ['waybill show ID', 'waybill --json show ID', 'waybill -p work show ID'],
  revoke: ['waybill revoke ID', 'waybill revoke ID OTHER_ID', 'waybill -y revoke ID'],
  log: ['waybill log', 'waybill log --message ID', 'waybill log --after 2026-11-01'],
  admin: [
    'waybill admin api-key ann@example.com',
    'waybill --json admin api-key ann@example.com',
    'waybill -p work admin api-key ann@example.com',
  ],
  'admin api-key': [
    'waybill admin api-key ann@example.com',
    'waybill --json admin api-key ann@example.com',
    'waybill -p work admin api-key ann@example.com',
  ],
  config: ['waybill config list', 'waybill config set server https://files.example.com', 'waybill config path'],
  'config get': [
    'waybill config get server',
    'waybill -p work config get server',
    'waybill config get default_profile',
  ],
  'config set': [
    'waybill config set server https://files.example.com',
    'waybill -p work config set server https://x.example',
    'waybill config set default_profile work',
  ],
  'config list': ['waybill config list', 'waybill --json config list', 'waybill -p work config list'],
  'config path': ['waybill config path', 'cat "$(waybill config path)"', 'waybill --json config path'],
  completion: [
    'waybill completion bash > ~/.local/share/bash-completion/completions/waybill',
    'waybill completion fish > ~/.config/fish/completions/waybill.fish',
    'waybill completion zsh > ~/.zfunc/_waybill',
  ],
  flags: [
    'waybill --json list',
    'waybill -p work link video.mp4 --quiet',
    'waybill --limit-rate 5MB/s send model.zip --to ben@example.com',
  ],
  doctor: ['waybill doctor', 'waybill --json doctor', 'waybill -p work doctor'],
};

export function examplesFor(command: Command): string {
  const words: string[] = [];
  for (let at: Command | null = command; at?.parent != null; at = at.parent) words.unshift(at.name());
  const lines = (helpExamples[words.join(' ')] ?? helpExamples['']!).map((line) => `  ${line}\n`);
  return `Examples:\n${lines.join('')}`;
}
