// Drop pages of functions, for administrators.
import type { z } from 'zod';
import type { changeSystemDrop as changeBody, SystemDropBody } from '#contract/admin/filedrops.ts';
import {
  changeSystemDrop,
  createSystemDrop,
  type DropInput,
  deleteSystemDrop,
  getSystemDrop,
  listSystemDrops,
  type ManagedDrop,
} from '../../../actions/filedrops/system-drops.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';

export function serveSystemDrops(serve: Serve): void {
  serve('listSystemDrops', async ({ ctx, caller }) => ({
    filedrops: (await listSystemDrops(ctx, caller)).map(dropBody),
  }));
  serve('createSystemDrop', async ({ ctx, caller, body }) => ({
    filedrop: dropBody(await createSystemDrop(ctx, caller, inputOf(body))),
  }));
  serve('getSystemDrop', async ({ ctx, caller, params }) => ({
    filedrop: dropBody(await getSystemDrop(ctx, caller, params.id)),
  }));
  serve('changeSystemDrop', async ({ ctx, caller, params, body }) => ({
    filedrop: dropBody(await changeSystemDrop(ctx, caller, params.id, inputOf(body))),
  }));
  serve('deleteSystemDrop', ({ ctx, caller, params }) => deleteSystemDrop(ctx, caller, params.id));
}

function inputOf({ filedrop }: z.output<typeof changeBody>): DropInput {
  const given = {
    name: filedrop.name,
    title: filedrop.title,
    intro: filedrop.intro,
    receivers: filedrop.receivers,
    maxSize: filedrop.max_size,
    permittedExtensions: filedrop.permitted_extensions,
    confirmsSender: filedrop.confirm_sender,
    isOpen: filedrop.open,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as DropInput;
}

function dropBody(drop: ManagedDrop): SystemDropBody {
  return {
    id: drop.id,
    name: drop.name,
    title: drop.title,
    intro: drop.intro,
    receivers: drop.receivers.map(({ id, canReceive, person }) => ({
      id,
      name: person?.name ?? '',
      email: person?.email ?? '',
      can_receive: canReceive,
    })),
    max_size: drop.maxSize,
    permitted_extensions: drop.permittedExtensions,
    confirm_sender: drop.confirmsSender,
    open: drop.isOpen,
    url: drop.url,
    may_change: drop.mayChange,
    deliveries: drop.deliveries,
    last_delivery_at: drop.lastDeliveryAt === null ? null : isoInstant(drop.lastDeliveryAt),
    created_at: isoInstant(drop.createdAt),
    updated_at: isoInstant(drop.updatedAt),
  };
}
