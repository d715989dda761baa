// Sealed together with their salts, because values can be guessed from salt and hash.
const sealedFacts: Readonly<Record<string, readonly string[]>> = {
  'attachment.uploaded': ['sha256'],
  'attachment.processed': ['sha256'],
};

export function sealedFactsOf(action: string): readonly string[] {
  return sealedFacts[action] ?? [];
}

export function withoutSealedFacts(action: string, facts: Record<string, unknown>): Record<string, unknown> {
  const hidden = sealedFactsOf(action);
  return hidden.length === 0
    ? facts
    : Object.fromEntries(Object.entries(facts).filter(([name]) => !hidden.includes(name)));
}
