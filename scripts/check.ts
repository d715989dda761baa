// `npm run check`: the checks that need no server. All of them run, also after one has failed. `-- --release` also requires
// every text in every shipped language.
import { checkSteps, runSteps } from './check-steps.ts';

const isRelease = process.argv.includes('--release');
const failed = await runSteps(checkSteps, (line) => console.log(line), { isRelease });
process.exitCode = failed.length === 0 ? 0 : 1;
