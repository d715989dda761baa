// Facts of events that are sealed in the database, together with their salts: with salt and hash, values can be guessed.
// The log of evidence has a salted hash of them, as of every fact that is not public.
const sealedFacts: Readonly<Record<string, readonly string[]>> = {
  'attachment.uploaded': ['sha256'],
  'attachment.processed': ['sha256'],
};

/** Empty for most kinds of events. */
export function sealedFactsOf(action: string): readonly string[] {
  return sealedFacts[action] ?? [];
}

export function withoutSealedFacts(action: string, facts: Record<string, unknown>): Record<string, unknown> {
  const hidden = sealedFactsOf(action);
  return hidden.length === 0
    ? facts
    : Object.fromEntries(Object.entries(facts).filter(([name]) => !hidden.includes(name)));
}
