// `npm run check`: format, lint, types, walls, dead code, generated files, traces of machines. All of them run, also
// after one has failed; details are shown for failures only.
import { checkSteps, runSteps } from './check-steps.ts';

const failed = await runSteps(checkSteps, (line) => console.log(line));
process.exitCode = failed.length === 0 ? 0 : 1;
