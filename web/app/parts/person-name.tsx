// Name and address, because a name alone proves nothing.
import { visibleText } from '../../visible.ts';
import { useNames } from '../names.ts';
import { Muted, Stack } from '../ui/layout.tsx';

export function PersonName({ address }: { address: string }) {
  const names = useNames();
  const beneath = names.beneath(address);
  if (beneath === null) return <bdi>{visibleText(address)}</bdi>;
  return (
    <Stack as="span" gap={2}>
      <bdi>{names.name(address)}</bdi>
      <Muted as="span">
        <bdi>{beneath}</bdi>
      </Muted>
    </Stack>
  );
}

/** The first line of a cell; the second is `AddressBeneath`. */
export function OnlyName({ address }: { address: string }) {
  const names = useNames();
  const name = names.name(address);
  const at = name.lastIndexOf('@');
  if (names.beneath(address) !== null || at < 1) return <bdi>{name}</bdi>;
  return (
    <bdi title={name}>
      {name.slice(0, at)}
      <wbr />
      {name.slice(at)}
    </bdi>
  );
}

export function AddressBeneath({ address }: { address: string }) {
  const beneath = useNames().beneath(address);
  return beneath === null ? null : <bdi title={beneath}>{beneath}</bdi>;
}
