import { addCatalogueFiles, type CatalogueFiles, type Messages } from '../texts.ts';

const files: CatalogueFiles = import.meta.glob<Messages>('../../../locales/*/app/admin/*.json', { import: 'default' });

/** Call before loading any of them; idempotent. */
export function addConsoleTexts(): void {
  addCatalogueFiles(files, '../../../locales/');
}
