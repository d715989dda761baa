import type { ReactNode } from 'react';
import { anyOf } from '../../formats.ts';
import type { UploadLimits } from '../delivery-props.ts';
import { Fact } from './facts.tsx';
import { useFrame, useSize, useText } from './frame.tsx';

export function hasLimits(limits: UploadLimits): boolean {
  const { maxTotalBytes, maxFiles, permittedExtensions, blockedExtensions } = limits;
  return maxTotalBytes !== null || maxFiles !== null || permittedExtensions.length > 0 || blockedExtensions.length > 0;
}

export function LimitFacts({ limits }: { limits: UploadLimits }): ReactNode {
  const { locale } = useFrame();
  const say = useText();
  const sizeOf = useSize();
  const types = (extensions: string[]) =>
    anyOf(
      locale,
      extensions.map((extension) => `.${extension}`),
    );
  const { maxTotalBytes, maxFiles } = limits;
  return (
    <>
      {maxTotalBytes !== null && maxFiles !== null && (
        <Fact icon="upload">{say('upload.limitBoth', { n: maxFiles, size: sizeOf(maxTotalBytes) })}</Fact>
      )}
      {maxTotalBytes !== null && maxFiles === null && (
        <Fact icon="upload">{say('upload.limitSize', { size: sizeOf(maxTotalBytes) })}</Fact>
      )}
      {maxTotalBytes === null && maxFiles !== null && (
        <Fact icon="upload">{say('upload.limitCount', { n: maxFiles })}</Fact>
      )}
      {limits.permittedExtensions.length > 0 && (
        <Fact icon="file">{say('upload.limitPermitted', { types: types(limits.permittedExtensions) })}</Fact>
      )}
      {limits.permittedExtensions.length === 0 && limits.blockedExtensions.length > 0 && (
        <Fact icon="file">{say('upload.limitBlocked', { types: types(limits.blockedExtensions) })}</Fact>
      )}
    </>
  );
}
