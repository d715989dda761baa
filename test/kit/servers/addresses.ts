// Where the test command's servers listen. The test command writes this as JSON and names the file in the environment;
// tests read it here. Importing this file is what makes the test command start the servers.
import { readFileSync } from 'node:fs';

export interface TestServers {
  /** The maintenance database; a suite makes its own database from here and drops it afterwards. */
  postgresUrl: string;
  s3: { endpoint: string; region: string; accessKey: string; secretKey: string };
  /** Path of the browser; null unless a selected test file lies in a folder `journeys`. */
  chromium: string | null;
}

export const serversVariable = 'WAYBILL_TEST_SERVERS';

/** The servers of this test run, or null when it runs without them: a suite then skips, and says so. */
export function findTestServers(): TestServers | null {
  const path = process.env[serversVariable];
  return path ? (JSON.parse(readFileSync(path, 'utf8')) as TestServers) : null;
}
