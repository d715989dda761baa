// A sandboxed frame with a page or mail of the server, which follows what is typed.
import { type ReactNode, useEffect, useState } from 'react';
import { useText } from '../../texts.ts';
import { Segments } from '../../ui/choice.tsx';
import { Row, Stack } from '../../ui/layout.tsx';
import { useIsNarrow } from '../../ui/narrow.ts';
import classes from './preview-frame.module.css';

interface Props {
  title: string;
  /** Further choices before those of the frame. */
  choices?: ReactNode;
  addressOf: (scheme: 'light' | 'dark') => string;
  /** Pages load their fonts and logo from this origin; nothing in the frame runs scripts. */
  isSameOrigin?: boolean;
}

export function PreviewFrame({ title, choices, addressOf, isSameOrigin }: Props) {
  const text = useText('admin/console');
  const isNarrow = useIsNarrow();
  const [scheme, setScheme] = useState<'light' | 'dark'>('light');
  const [size, setSize] = useState<'computer' | 'phone'>('computer');
  const address = useSettled(addressOf(scheme));
  return (
    <Stack gap={12}>
      <Row>
        {choices}
        {isNarrow ? null : (
          <Segments
            label={text('previewSize')}
            value={size}
            onChange={setSize}
            choices={[
              { value: 'computer', label: text('previewComputer') },
              { value: 'phone', label: text('previewPhone') },
            ]}
          />
        )}
        <Segments
          label={text('previewScheme')}
          value={scheme}
          onChange={setScheme}
          choices={[
            { value: 'light', label: text('previewLight') },
            { value: 'dark', label: text('previewDark') },
          ]}
        />
      </Row>
      <iframe
        title={title}
        src={address}
        sandbox={isSameOrigin ? 'allow-same-origin' : ''}
        referrerPolicy="no-referrer"
        className={classes.frame}
        data-phone={size === 'phone'}
        data-scheme={scheme}
      />
    </Stack>
  );
}

const settleMs = 400;

/** The value once it has stayed the same for a moment. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
