// `npm run gallery [-- port]`
import { loadPages } from '#web/pages/load.ts';
import { startGallery } from './server.ts';

const { origin, samples } = await startGallery(await loadPages(), Number(process.argv[2] ?? 8090));
console.log(`${samples.length} samples at ${origin} (Ctrl+C ends it)`);
