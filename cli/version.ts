// The version of the program. A file of its own, because the first file that is loaded needs it.
import manifest from '../package.json' with { type: 'json' };

export const version: string = manifest.version;
