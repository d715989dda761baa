import { useState } from 'react';
import { useText } from '../../../texts.ts';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { linkAddress } from './rich-text.ts';

interface Props {
  /** Empty for a new link. */
  address: string;
  onConfirm: (address: string, typed: string) => void;
  onClose: () => void;
}

export function LinkDialog({ address, onConfirm, onClose }: Props) {
  const text = useText('send');
  const [typed, setTyped] = useState(address);
  const [isBad, setBad] = useState(false);
  const go = () => {
    const found = linkAddress(typed);
    setBad(found === null);
    if (found !== null) onConfirm(found, typed.trim());
  };
  return (
    <ConfirmDialog title={text('formatLinkTitle')} confirmLabel={text('formatLinkGo')} onConfirm={go} onClose={onClose}>
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
    </ConfirmDialog>
  );
}
