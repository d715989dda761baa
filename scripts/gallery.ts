// `npm run gallery`: every page and every mail in every state, with sample data, in a browser. No installation needed.
// `npm run gallery -- 4000` chooses the port.
import { loadPages } from '#web/pages/load.ts';
import { startGallery } from './gallery-server.ts';

const { origin, samples } = await startGallery(await loadPages(), Number(process.argv[2] ?? 8090));
console.log(`${samples.length} samples at ${origin} (Ctrl+C ends it)`);
