import type { CallAnswer } from '#contract/client.ts';
import { useApiChange } from '../../../api.ts';
import { basePath } from '../../../host-page.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { FileField } from '../../../ui/file-field.tsx';
import { Muted, Row, Stack } from '../../../ui/layout.tsx';
import { ProblemNotice } from '../../../ui/states.tsx';

type Branding = CallAnswer<'getBranding'>['branding'];

const variants = ['light', 'dark'] as const;
const names = { light: 'logoLight', dark: 'logoDark' } as const;

export function Logos({ branding, mayChange }: { branding: Branding; mayChange: boolean }) {
  const text = useText('admin/branding');
  return (
    <Card title={text('logo')}>
      <Stack gap={20}>
        <Muted>{text('logoHelp')}</Muted>
        {variants.map((variant) => (
          <Logo key={variant} variant={variant} logo={branding.logo[variant]} mayChange={mayChange} />
        ))}
      </Stack>
    </Card>
  );
}

interface LogoProps {
  variant: (typeof variants)[number];
  logo: Branding['logo']['light'];
  mayChange: boolean;
}

function Logo({ variant, logo, mayChange }: LogoProps) {
  const text = useText('admin/branding');
  const change = useApiChange('changeLogo', ['admin']);
  const remove = useApiChange('deleteLogo', ['admin']);
  const headers = { 'content-type': 'application/octet-stream' };
  const take = (file: File | undefined) => {
    if (file !== undefined)
      change.mutate({ query: { variant }, body: file, headers }, { onSuccess: () => announce(text('logoSaved')) });
  };
  return (
    <Stack gap={8}>
      {logo === null ? (
        <Muted>{text(variant === 'light' ? 'noLogo' : 'noDarkLogo')}</Muted>
      ) : (
        <img src={pathOf(logo.url)} alt={text(names[variant])} width={Math.min(200, logo.width)} />
      )}
      {mayChange ? (
        <>
          <FileField label={text(names[variant])} accept="image/svg+xml,image/png" onChoose={take} />
          {logo === null ? null : (
            <Row>
              <Button
                size="small"
                isBusy={remove.isPending}
                aria-label={text(variant === 'light' ? 'removeLight' : 'removeDark')}
                onClick={() =>
                  remove.mutate({ query: { variant } }, { onSuccess: () => announce(text('logoRemoved')) })
                }
              >
                {text('remove')}
              </Button>
            </Row>
          )}
        </>
      ) : null}
      <ProblemNotice error={change.error ?? remove.error} />
    </Stack>
  );
}

/** Relative to the page, which may be open under another host name of the server. */
function pathOf(url: string): string {
  const { pathname } = new URL(url, location.origin);
  return basePath !== '' && !pathname.startsWith(`${basePath}/`) ? `${basePath}${pathname}` : pathname;
}
