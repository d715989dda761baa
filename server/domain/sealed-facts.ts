// Facts of events that are sealed in the database. The log of evidence has a salted hash of them, as of every fact that is
// not public.
const sealedFacts: Readonly<Record<string, readonly string[]>> = {
  'attachment.uploaded': ['sha256'],
  'attachment.processed': ['sha256'],
};

/** Empty for most kinds of events. */
export function sealedFactsOf(action: string): readonly string[] {
  return sealedFacts[action] ?? [];
}
