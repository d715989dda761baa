import { createContext, Fragment, type ReactNode, useContext } from 'react';
import { localSize, sizeIn } from '#language/sizes.ts';
import type { Frame } from '../props.ts';
import { pageTexts, type TextKey, type TextValues } from '../text.ts';

export const FrameContext = createContext<Frame | null>(null);

/** Below the base path. */
export const ScriptsContext = createContext<string[]>([]);

export function useFrame(): Frame {
  const frame = useContext(FrameContext);
  if (!frame) throw new Error('a part was rendered outside renderPage');
  return frame;
}

/** Returns text without markup, for titles and attributes. */
export function useText(): (key: TextKey, values?: TextValues) => string {
  const { locale } = useFrame();
  return (key, values) => pageTexts.text(locale, key, values);
}

/** From bytes or from English text such as `48.2 MB`. */
export function useSize(): (size: number | string) => string {
  const { locale } = useFrame();
  return (size) => (typeof size === 'number' ? sizeIn(locale, size) : localSize(locale, size));
}

/** Values may be elements. */
export function Say({ k, with: values }: { k: TextKey; with: Record<string, ReactNode> }): ReactNode {
  const { locale } = useFrame();
  return pageTexts.parts<ReactNode>(locale, k, values).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one sentence never change places.
    <Fragment key={index}>{part}</Fragment>
  ));
}
