import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { derived, encoderOf, fieldsOf, named, wire, wireObject, wireShape } from './codec.ts';
import { instantMs } from './wire.ts';

const file = wire({ file_name: z.string(), size: named('sizeBytes', z.int()) });
const transfer = wire({
  id: z.string().describe('Id.'),
  expires_at: named('expiresOn', z.string().nullable()),
  created_at: instantMs,
  main_file: file.nullable(),
  other_files: z.array(file),
  note_text: z.string().optional(),
});
const onWire = {
  id: 'a',
  expires_at: null,
  created_at: '2026-11-19T08:00:00.000Z',
  main_file: { file_name: 'x', size: 3 },
  other_files: [{ file_name: 'y', size: 4 }],
};
const inside = {
  id: 'a',
  expiresOn: null,
  createdAt: Date.UTC(2026, 10, 19, 8),
  mainFile: { fileName: 'x', sizeBytes: 3 },
  otherFiles: [{ fileName: 'y', sizeBytes: 4 }],
};

describe('A schema with a wire form and a domain form', () => {
  test('refuses a wrong value under its wire name', () => {
    const result = transfer.safeParse({ ...onWire, main_file: { file_name: 1, size: 3 } });
    assert.deepEqual(result.error?.issues[0]?.path, ['main_file', 'file_name']);
  });

  test('decodes names, instants and nested objects, and leaves out what is not given', () => {
    assert.deepEqual(transfer.parse(onWire), inside);
  });

  test('encodes what it decoded, and drops fields that it does not declare', () => {
    const noun = { ...inside, passwordHash: 'secret' };
    assert.deepEqual(encoderOf(transfer)(noun), onWire);
    const answer = { transfer: noun, secret: 1 };
    assert.deepEqual(encoderOf(z.object({ transfer }))(answer), { transfer: onWire });
  });

  test('computes derived fields, and does not decode them', () => {
    const lengths = derived(z.int(), ({ otherFiles }: { otherFiles: unknown[] }) => otherFiles.length);
    const counted = wire({ ...fieldsOf(transfer), files_total: lengths.describe('How many.') });
    assert.deepEqual(encoderOf(counted)(inside), { ...onWire, files_total: 1 });
    assert.deepEqual(counted.parse({ ...onWire, files_total: 1 }), inside);
  });

  test('keeps the name of a field that is described later', () => {
    const size = named('sizeBytes', z.int());
    assert.deepEqual(encoderOf(wire({ size: size.describe('Bytes.') }))({ sizeBytes: 3 }), { size: 3 });
  });

  test('encodes the member of a union by its discriminator, and refuses one without', () => {
    const either = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('one'), file }),
      z.object({ kind: z.literal('two'), created_at: instantMs }),
    ]);
    assert.deepEqual(encoderOf(either)({ kind: 'two', created_at: 0 }), {
      kind: 'two',
      created_at: '1970-01-01T00:00:00.000Z',
    });
    assert.throws(() => encoderOf(z.union([file, transfer])), /discriminator/);
  });

  test('shows the object on the wire to those who describe it', () => {
    assert.deepEqual(Object.keys(wireShape(file)), ['file_name', 'size']);
    assert.equal(wireObject(z.array(file)), null);
    assert.equal(transfer.def.in.shape.id.description, 'Id.');
  });
});
