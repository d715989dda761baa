// One file, because they are always needed together.
export { default as shell } from '../../../locales/es/app/shell.json' with { type: 'json' };
export { default as ui } from '../../../locales/es/app/ui.json' with { type: 'json' };
export { default as upload } from '../../../locales/es/app/upload.json' with { type: 'json' };
