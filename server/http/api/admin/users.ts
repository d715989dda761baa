import { user } from '#contract/admin/users.ts';
import { encoderOf } from '#contract/codec.ts';
import {
  changeUser,
  createUser,
  deleteUser,
  getUser,
  listUsers,
  removeSecondFactor,
} from '../../../actions/users/users.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { sendList } from '../../transport/answers.ts';

const encodeUser = encoderOf(user);

export function serveUsers(serve: Serve): void {
  serve('listUsers', async ({ ctx, caller, response, requestId }) => {
    await sendList({ response, requestId }, 'users', listUsers(ctx, caller), encodeUser);
    return alreadySent;
  });
  serve('createUser', async ({ ctx, caller, body }) => ({ user: await createUser(ctx, caller, body.user) }));
  serve('getUser', async ({ ctx, caller, params }) => ({ user: await getUser(ctx, caller, params.id) }));
  serve('changeUser', async ({ ctx, caller, params, body }) => ({
    user: await changeUser(ctx, caller, params.id, body.user),
  }));
  serve('removeSecondFactor', ({ ctx, caller, params }) => removeSecondFactor(ctx, caller, params.id));
  serve('deleteUser', ({ ctx, caller, params }) => deleteUser(ctx, caller, params.id));
}
