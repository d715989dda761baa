// Strings are quoted as in JSON, so that none is mistaken for a number, a date or a boolean.

/** Without cycles. */
export function toYaml(value: unknown): string {
  return `${block(value, '').replace(/^\n/, '')}\n`;
}

/** The text after a colon or dash, without the space between. */
function block(value: unknown, indent: string): string {
  if (Array.isArray(value) && value.length > 0)
    return value.map((item) => `\n${indent}-${placed(item, indent)}`).join('');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    if (members.length > 0)
      return members.map(([key, member]) => `\n${indent}${keyOf(key)}:${placed(member, indent)}`).join('');
  }
  return JSON.stringify(value);
}

function placed(value: unknown, indent: string): string {
  const text = block(value, `${indent}  `);
  return text.startsWith('\n') ? text : ` ${text}`;
}

/** Plain keys need no quotes, unless they spell a boolean. */
function keyOf(key: string): string {
  const isBare = /^[A-Za-z_/$][\w/$.-]*$/.test(key) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(key);
  return isBare ? key : JSON.stringify(key);
}
