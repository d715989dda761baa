// Kinds of import that only the page build understands: styles and pictures as text, fonts as bytes, scripts bundled for browsers.
/// <reference types="vite/client" />

declare module '*?bytes' {
  export const base64: string;
}

declare module '*?script' {
  export const source: string;
}
