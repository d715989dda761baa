// Kinds of import that only the page build understands: styles and pictures as text, scripts bundled for browsers.
/// <reference types="vite/client" />

declare module '*?script' {
  export const source: string;
}
