// Kinds of import that only the page build understands: styles and pictures as text.
/// <reference types="vite/client" />
