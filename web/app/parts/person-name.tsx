// Name and address, because a name alone proves nothing.
import { visibleText } from '../../visible.ts';
import { useNames } from '../names.ts';
import { Muted, Stack } from '../ui/layout.tsx';

export function PersonName({ address }: { address: string }) {
  const names = useNames();
  const addressBelow = names.addressBelow(address);
  if (addressBelow === null) return <bdi>{visibleText(address)}</bdi>;
  return (
    <Stack as="span" gap={2}>
      <bdi>{names.name(address)}</bdi>
      <Muted as="span">
        <bdi>{addressBelow}</bdi>
      </Muted>
    </Stack>
  );
}

/** The first line of a cell; the second is `AddressBeneath`. */
export function OnlyName({ address }: { address: string }) {
  const names = useNames();
  const name = names.name(address);
  const at = name.lastIndexOf('@');
  if (names.addressBelow(address) !== null || at < 1) return <bdi>{name}</bdi>;
  return (
    <bdi title={name}>
      {name.slice(0, at)}
      <wbr />
      {name.slice(at)}
    </bdi>
  );
}

export function AddressBelow({ address }: { address: string }) {
  const addressBelow = useNames().addressBelow(address);
  return addressBelow === null ? null : <bdi title={addressBelow}>{addressBelow}</bdi>;
}
