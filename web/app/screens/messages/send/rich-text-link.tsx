import { useState } from 'react';
import { useText } from '../../../texts.ts';
import { AskDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { linkAddress } from './rich-text.ts';

interface Props {
  /** Empty for a new link. */
  address: string;
  onGo: (address: string, typed: string) => void;
  onClose: () => void;
}

export function AskLink({ address, onGo, onClose }: Props) {
  const text = useText('send');
  const [typed, setTyped] = useState(address);
  const [isBad, setBad] = useState(false);
  const go = () => {
    const found = linkAddress(typed);
    setBad(found === null);
    if (found !== null) onGo(found, typed.trim());
  };
  return (
    <AskDialog title={text('formatLinkTitle')} goLabel={text('formatLinkGo')} onGo={go} onClose={onClose}>
      <TextField
        label={text('formatLinkLabel')}
        value={typed}
        onChange={setTyped}
        problem={isBad ? text('formatLinkBad') : null}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        isFocusedFirst
      />
    </AskDialog>
  );
}
