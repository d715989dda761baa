// Every combination of facts and proofs, against an independent table.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  assertMayUseLinks,
  type LinkFacts,
  type LinkGate,
  type LinkProofs,
  linkEndingMs,
  linkGate,
  linkStateAt,
} from './file-links.ts';
import { defaultPolicy } from './policy.ts';
import { Problem } from './problem.ts';

const expiresAt = 1000;

function* combinations(): Generator<{ link: LinkFacts; proofs: LinkProofs; now: number }> {
  for (const state of ['active', 'released', 'deleted'] as const)
    for (const fileState of ['sealing', 'ready', 'damaged', 'failed', 'erased'] as const)
      for (const ownerState of ['active', 'disabled', 'deleted'] as const)
        for (const hasPassword of [true, false])
          for (const requireSignIn of [true, false])
            for (const passwordPassed of [true, false])
              for (const address of [null, 'a@example.com'])
                for (const isOwner of [true, false])
                  for (const now of [0, expiresAt - 1, expiresAt, expiresAt + 1])
                    yield {
                      link: { ...scanned, state, fileState, ownerState, expiresAt, hasPassword, requireSignIn },
                      proofs: { passwordPassed, address, isOwner },
                      now,
                    };
}

function isServed({ link, proofs, now }: { link: LinkFacts; proofs: LinkProofs; now: number }): boolean {
  const isLive = link.state === 'active' && now < link.expiresAt && link.ownerState === 'active';
  const isWhole = link.fileState === 'ready';
  const passesPassword = !link.hasPassword || proofs.passwordPassed;
  const passesSignIn = !link.requireSignIn || proofs.address !== null;
  return isLive && isWhole && (proofs.isOwner || (passesPassword && passesSignIn));
}

describe('the gate of a link', () => {
  test('admits exactly those whom the rules admit, in all 5760 combinations', () => {
    let count = 0;
    for (const combination of combinations()) {
      count++;
      assert.equal(
        linkGate(combination.link, combination.proofs, combination.now) === 'allow',
        isServed(combination),
        JSON.stringify(combination),
      );
    }
    assert.equal(count, 5760);
  });

  test('shows only the end of an ended link, even if other rules refuse it too', () => {
    for (const { link, proofs, now } of combinations()) {
      const gate = linkGate(link, proofs, now);
      const expected: LinkGate[] =
        link.state === 'deleted'
          ? ['stopped']
          : link.ownerState !== 'active'
            ? ['gone']
            : link.state === 'released' || now >= link.expiresAt
              ? ['expired']
              : ['allow', 'not_ready', 'gone', 'needs_password', 'needs_sign_in'];
      assert.ok(expected.includes(gate), `${gate} for ${JSON.stringify({ link, proofs, now })}`);
    }
  });

  test('asks for the password before the address, and shows neither question to the owner', () => {
    const link: LinkFacts = {
      state: 'active',
      ...scanned,
      fileState: 'ready',
      ownerState: 'active',
      expiresAt,
      hasPassword: true,
      requireSignIn: true,
    };
    const gate = (proofs: Partial<LinkProofs>) =>
      linkGate(link, { passwordPassed: false, address: null, isOwner: false, ...proofs }, 0);
    assert.equal(gate({}), 'needs_password');
    assert.equal(gate({ address: 'a@example.com' }), 'needs_password');
    assert.equal(gate({ passwordPassed: true }), 'needs_sign_in');
    assert.equal(gate({ passwordPassed: true, address: 'a@example.com' }), 'allow');
    assert.equal(gate({ isOwner: true }), 'allow');
  });

  test('a sealing file is not ready, a damaged one is gone, for the owner too', () => {
    for (const { link, proofs, now } of combinations()) {
      if (link.state !== 'active' || link.ownerState !== 'active' || now >= expiresAt) continue;
      const gate = linkGate(link, proofs, now);
      if (link.fileState === 'sealing') assert.equal(gate, 'not_ready');
      else if (link.fileState !== 'ready') assert.equal(gate, 'gone');
    }
  });
});

const scanned = { scanState: 'free', isFromOutside: false } as const;

test('people of a group without links are refused with a sentence', () => {
  const policy = defaultPolicy(true);
  assert.throws(
    () => assertMayUseLinks({ ...policy, can_use_filelinks: false }),
    (error: unknown) => error instanceof Problem && error.code === 'link.not_permitted',
  );
  assertMayUseLinks(policy);
});

test('a link is what its owner has made of it, then what its last day has: ending within three days, expired at its end', () => {
  const now = 1_000_000_000;
  for (const [state, left, expected] of [
    ['deleted', linkEndingMs + 1, 'deleted'],
    ['deleted', 0, 'deleted'],
    ['released', linkEndingMs + 1, 'expired'],
    ['active', 0, 'expired'],
    ['active', -1, 'expired'],
    ['active', 1, 'ending'],
    ['active', linkEndingMs, 'ending'],
    ['active', linkEndingMs + 1, 'active'],
  ] as const)
    assert.equal(linkStateAt({ state, expiresAt: now + left }, now), expected, `${state}, ${left} ms left`);
  assert.equal(linkEndingMs, 259_200_000);
});
