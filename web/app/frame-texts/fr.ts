// One file, because they are always needed together.
export { default as shell } from '../../../locales/fr/app/shell.json' with { type: 'json' };
export { default as ui } from '../../../locales/fr/app/ui.json' with { type: 'json' };
export { default as upload } from '../../../locales/fr/app/upload.json' with { type: 'json' };
