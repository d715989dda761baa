// One file, because they are always needed together.
export { default as shell } from '../../../locales/de/app/shell.json' with { type: 'json' };
export { default as ui } from '../../../locales/de/app/ui.json' with { type: 'json' };
export { default as upload } from '../../../locales/de/app/upload.json' with { type: 'json' };
