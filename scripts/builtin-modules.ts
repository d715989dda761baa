// Modules of Node itself, for a built program: taken as they are. An `import` of one reads all it exports, and with that
// loads what only a few programs need: `fetch` with `node:http`, webcrypto with `node:crypto`. A fifth of the time that
// `waybill --version` takes.
import { isBuiltin } from 'node:module';
import type { Plugin } from 'vite';

const mark = '\0builtin:';

export const builtinModules: Plugin = {
  name: 'builtin-modules',
  enforce: 'pre',
  resolveId(source, _, options) {
    const isImport = (options as { kind?: string }).kind !== 'require-call';
    return isImport && isBuiltin(source) ? `${mark}${source}` : null;
  },
  load(id) {
    return id.startsWith(mark) ? codeOf(id.slice(mark.length)) : null;
  },
};

function codeOf(name: string): string {
  const builtin = process.getBuiltinModule(name) as object;
  // What is behind a getter is loaded when it is asked for: whoever needs it takes it from the module.
  const names = Object.entries(Object.getOwnPropertyDescriptors(builtin))
    .filter(([key, { get }]) => get === undefined && /^[A-Za-z_$][\w$]*$/.test(key) && key !== 'default')
    .map(([key]) => key);
  const lines = names.map(
    (key, index) => `const _${index} = /* @__PURE__ */ Reflect.get(builtin, '${key}'); export { _${index} as ${key} };`,
  );
  return [
    `const builtin = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(name)});`,
    'export default builtin;',
    ...lines,
  ].join('\n');
}
