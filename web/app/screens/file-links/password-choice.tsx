// A typed or generated password, visible. The server never returns it.

import { Copy, Dices } from 'lucide-react';
import { useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { useCopy } from '../../ui/copy-field.tsx';
import { TextField } from '../../ui/field.tsx';
import { Row, Stack } from '../../ui/layout.tsx';
import { generatePassword } from './generate-password.ts';

interface Props {
  label: string;
  value: string;
  onChange: (password: string) => void;
  isOptional?: boolean;
  problem?: string | null;
}

export function PasswordChoice({ label, value, onChange, isOptional = false, problem = null }: Props) {
  const text = useText('file-links');
  const { state, copy } = useCopy(text('passwordCopied'));
  return (
    <Stack gap={4}>
      <TextField
        label={label}
        help={text('passwordHelp')}
        value={value}
        onChange={onChange}
        isOptional={isOptional}
        problem={problem}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        maxLength={1024}
      />
      <Row>
        <Button variant="quiet" size="small" icon={Dices} onClick={() => onChange(generatePassword())}>
          {text('generate')}
        </Button>
        {value === '' ? null : (
          <Button variant="quiet" size="small" icon={Copy} onClick={() => void copy(value)}>
            {text(state === 'copied' ? 'copied' : 'copyPassword')}
          </Button>
        )}
      </Row>
    </Stack>
  );
}
