import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EventFacts } from './event-facts.ts';
import {
  activityActions,
  activityKinds,
  activityOf,
  type EventDefinition,
  type EventKind,
  eventKinds,
  type Happening,
  reachesRecipients,
  topicsOf,
} from './events.ts';
import type { PublicFacts } from './public-facts.ts';

const everyKind = Object.entries(eventKinds) as [EventKind, EventDefinition][];

describe('the list of event kinds', () => {
  test('asks each kind for a decision about topics, and refuses kinds, objects and facts that are not in it', () => {
    const ownerId = 'alice';
    // @ts-expect-error a kind that does not say what it is about
    const undecided: EventDefinition = { activity: 'change' };
    // @ts-expect-error a kind about messages without a place in their timelines
    const unplaced: EventDefinition = { about: { message: ['messages'] } };
    // @ts-expect-error a kind with facts that does not say which of them are public
    const unpublished: PublicFacts = {};
    const kindsWithFacts: readonly EventKind[] = [] as (keyof EventFacts)[];
    // @ts-expect-error a kind that is not in the list
    const unknown: Happening = { action: 'message.eaten', object: { kind: 'message', id: '1' }, ownerId };
    // @ts-expect-error a link is not what this kind is about
    const elsewhere: Happening = { action: 'message.revoked', object: { kind: 'link', id: '1' }, ownerId };
    // @ts-expect-error the facts of this kind are missing
    const bare: Happening = { action: 'message.reminded', object: { kind: 'message', id: '1' }, ownerId };
    assert.ok(
      [undecided, unplaced, unpublished, kindsWithFacts, unknown, elsewhere, bare].every(
        (value) => value !== undefined,
      ),
    );
  });

  test('names each kind as noun.verb, and at least one thing it can be about', () => {
    for (const [kind, { about }] of everyKind) {
      assert.match(kind, /^[a-z_]+\.[a-z_]+$/);
      assert.notEqual(Object.keys(about).length, 0, kind);
    }
  });

  test('lets an event touch the topics of what it is about, and no others', () => {
    assert.deepEqual(topicsOf({ action: 'file.downloaded', objectKind: 'link' }), ['links', 'downloads']);
    assert.deepEqual(topicsOf({ action: 'file.downloaded', objectKind: 'message' }), ['messages', 'downloads']);
    assert.deepEqual(topicsOf({ action: 'group.changed', objectKind: 'group' }), []);
    assert.deepEqual(topicsOf({ action: 'message.sent', objectKind: 'link' }), []);
  });

  test('does not contain removed kinds', () => {
    assert.deepEqual(topicsOf({ action: 'message.eaten', objectKind: 'message' }), []);
    assert.deepEqual([activityOf('message.eaten'), reachesRecipients('message.eaten')], [null, false]);
  });

  test('shows each kind of a timeline under one filter, and only what is about messages', () => {
    assert.deepEqual(
      activityKinds.flatMap((kind) => activityActions(kind)).toSorted(),
      activityActions(null).toSorted(),
    );
    for (const [kind, { about }] of everyKind) {
      if (activityOf(kind) !== null || reachesRecipients(kind)) assert.ok('message' in about, kind);
    }
  });
});
