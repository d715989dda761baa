// One file, because they are always needed together.
export { default as shell } from '../../../locales/sv/app/shell.json' with { type: 'json' };
export { default as ui } from '../../../locales/sv/app/ui.json' with { type: 'json' };
export { default as upload } from '../../../locales/sv/app/upload.json' with { type: 'json' };
