import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OperatorProblem } from './operator-problem.ts';

/** With `recursive`, Node loops forever where the parent accepts no folders, such as /proc. */
export async function createFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code === 'EEXIST') throw Object.assign(error as Error, { code: 'ENOTDIR' });
    if (code !== 'ENOENT') throw error;
    if (await exists(dirname(path)))
      throw new OperatorProblem(`${path} cannot be made: ${dirname(path)} takes no folders. Choose another folder.`);
    await createFolder(dirname(path));
    await createFolder(path);
  }
}

/** A user who can write to the folder can replace the master key or the database. */
export async function requirePrivateFolder(path: string): Promise<void> {
  const { mode } = await stat(path);
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  if ((mode & 0o002) !== 0)
    throw new OperatorProblem(
      `The data folder ${path} can be changed by all users of this machine. Run: chmod 700 ${path}`,
    );
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
