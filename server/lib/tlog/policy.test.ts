import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NoteProblem, signatureTypes, signerFromSeed, verifierKey } from './notes.ts';
import { isQuorum, parsePolicy } from './policy.ts';

const keyOf = (number: number, type: 1 | 4 | 6 = signatureTypes.witness) =>
  verifierKey(signerFromSeed(`witness.example/w${number}`, type, Buffer.alloc(32, number)));
const [x1, x2, x3, y1, y2] = [1, 2, 3, 4, 5].map((number) => keyOf(number)) as [string, string, string, string, string];

/** The example of the specification. */
const text = `
# Comment
log ${keyOf(9, signatureTypes.log)}

witness X1 ${x1} https://x1.example/prefix
witness\tX2 ${x2}
witness X3 ${x3}  http://127.0.0.1:8080
group X-witnesses 2 X1 X2 X3
  witness Y1 ${y1}
witness Y2 ${y2}
group Y-witnesses any Y1 Y2
group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`;

test('a policy is met by two of one group and one of the other', () => {
  const policy = parsePolicy(text);
  assert.equal(policy.logs.length, 1);
  assert.deepEqual(
    policy.witnesses.map(({ name, url }) => [name, url?.href ?? null]),
    [
      ['X1', 'https://x1.example/prefix'],
      ['X2', null],
      ['X3', 'http://127.0.0.1:8080/'],
      ['Y1', null],
      ['Y2', null],
    ],
  );
  const isMet = (...keys: string[]) => isQuorum(policy, new Set(keys));
  assert.deepEqual([isMet(), isMet(x1, x2), isMet(x1, y1), isMet(y1, y2)], [false, false, false, false]);
  assert.deepEqual([isMet(x1, x3, y2), isMet(x1, x2, x3, y1, y2)], [true, true]);
});

test('a quorum can be one witness, or none', () => {
  const one = parsePolicy(`witness a ${keyOf(1, signatureTypes.witnessMlDsa)}\nquorum a\n`);
  assert.deepEqual([isQuorum(one, new Set()), isQuorum(one, new Set([one.witnesses[0]!.key]))], [false, true]);
  assert.ok(isQuorum(parsePolicy('quorum none'), new Set()));
});

test('mistakes are named with their line', () => {
  const refused: [string, RegExp][] = [
    ['', /the line "quorum" is missing/],
    ['quorum a', /line 1: "a" is not defined before/],
    ['quorum none\nquorum none', /line 2: there is a second quorum/],
    ['nonsense', /line 1: "nonsense" is not known/],
    ['constructor x', /"constructor" is not known/],
    [`witness a ${x1.slice(0, -1)}`, /line 1: /],
    [`witness a ${keyOf(1, signatureTypes.log)}`, /not the key of a witness/],
    [`log ${x1}`, /not the key of a log/],
    [`log ${keyOf(9, signatureTypes.log)}\nlog ${keyOf(9, signatureTypes.log)}`, /line 2: this key is listed twice/],
    ['quorum none\r\n', /line 1: it has a control character/],
    [`witness a ${x1}\ngroup g 2 a a`, /"a" is in two groups/],
    [`witness none ${x1}`, /the name "none" is taken/],
    [`witness a ${x1}\nwitness a ${x2}`, /line 2: the name "a" is taken/],
    [`witness a ${x1}\nwitness b ${x1}`, /this key is listed twice/],
    [`witness a ${x1} http://witness.example`, /begins with https/],
    [`witness a ${x1} ftp://witness.example`, /begins with https/],
    [`witness a ${x1}\ngroup g 2 a`, /"2" is not all, any, or a number of members/],
    [`witness a ${x1}\ngroup g 0 a`, /"0" is not/],
    [`witness a ${x1}\ngroup g 1x a`, /"1x" is not/],
    [`witness a ${x1}\ngroup g any a\ngroup h any a`, /"a" is in two groups/],
    ['group g any b', /"b" is not defined before/],
    ['group g any', /a group has a name, a number and members/],
  ];
  for (const [policy, sentence] of refused)
    assert.throws(
      () => parsePolicy(policy),
      (error: Error) => error instanceof NoteProblem && sentence.test(error.message),
      policy,
    );
});
