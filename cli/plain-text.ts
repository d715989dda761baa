// Words of others, on a terminal.

/** Nothing that a name holds may steer a terminal: control characters become a mark. */
export function plainText(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\u{fffd}');
}
