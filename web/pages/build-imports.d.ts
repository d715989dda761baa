// Kinds of import that only the page build understands: styles and pictures as text, scripts bundled for browsers.
/// <reference types="vite/client" />

declare module '*?script' {
  const source: string;
  // biome-ignore lint/style/noDefaultExport: the build gives text as the default export, as it does for `?raw`.
  export default source;
}
