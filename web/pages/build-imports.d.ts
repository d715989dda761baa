// Import suffixes of the page build: styles and pictures as text, fonts as Base64, scripts bundled for browsers.
/// <reference types="vite/client" />

declare module '*?bytes' {
  export const base64: string;
}

declare module '*?script' {
  export const source: string;
}
