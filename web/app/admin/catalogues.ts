// The files with the console's sentences, known to its own bundle only.
import { addCatalogueFiles, type CatalogueFiles, type Messages } from '../texts.ts';

const files: CatalogueFiles = import.meta.glob<Messages>('../../../locales/*/app/admin/*.json', { import: 'default' });

/** Before the first of them is loaded; again does no harm. */
export function addConsoleTexts(): void {
  addCatalogueFiles(files, '../../../locales/');
}
