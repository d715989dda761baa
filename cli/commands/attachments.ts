// `upload`: files only, for scripts that send later.
import { resolve } from 'node:path';
import { exitCodes, Failure } from '../failures.ts';
import { openJob } from '../jobs.ts';
import { readAccount, type Session } from '../session.ts';
import { readSources, sourceOptions } from '../sources.ts';
import { filesOfAnswer, refuseEmpty, uploadRouteOf } from '../transfers.ts';
import { exitCodeOfAll, uploadAll } from '../uploading.ts';

export async function upload(session: Session, args: string[], flags: { name?: string; dir?: boolean }): Promise<void> {
  const { world, settings, output } = session;
  const account = await readAccount(session);
  const files = await readSources(session, args, sourceOptions(flags));
  refuseEmpty(files);
  const identity = ['upload', session.server(), account.user.email, args.map((arg) => resolve(world.cwd, arg))];
  const job = openJob(world, identity, flags);
  try {
    const { uploaded, failed } = await uploadAll(session, files, uploadRouteOf(session, account, 'message'), job);
    if (settings.isJson) output.document({ files: await filesOfAnswer(uploaded) });
    for (const { file, attachmentId } of uploaded) {
      output.event('uploaded', { path: file.path, name: file.name, attachment: attachmentId });
      output.essence(attachmentId);
    }
    if (failed.length === 0) return job.finish();
    for (const { file, sentence } of failed) output.warn(`waybill: ${file.name}: ${sentence}`);
    const isPart = uploaded.length > 0;
    throw new Failure(
      isPart ? exitCodes.partlyDone : exitCodeOfAll(failed),
      `${failed.length} of ${files.length} files were not uploaded`,
      {
        code: 'upload.failed',
      },
    );
  } finally {
    job.release();
  }
}
