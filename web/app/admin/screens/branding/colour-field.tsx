// A colour, and whether text in it can be read.
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { brandColours, isToneChanged, minTextContrast, surfaces } from '#contract/brand-colour.ts';
import { contrast, parseHexColour } from '#contract/colour.ts';
import { regional } from '#language/locale.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Muted, Note, Row, Stack } from '../../../ui/layout.tsx';
import classes from './branding.module.css';

interface Props {
  value: string;
  problem: string | null;
  isReadOnly: boolean;
  onChange: (colour: string) => void;
}

export function ColourField({ value, problem, isReadOnly, onChange }: Props) {
  const text = useText('admin/branding');
  const colours = brandColours(parseHexColour(value));
  return (
    <Stack gap={12}>
      <TextField
        label={text('colour')}
        help={text('colourHelp')}
        value={value}
        readOnly={isReadOnly}
        problem={problem}
        onChange={onChange}
        action={
          <input
            type="color"
            className={classes.picker}
            aria-label={text('pickColour')}
            value={colours.brand}
            disabled={isReadOnly}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        }
      />
      <Verdict colour={parseHexColour(value)} onUse={isReadOnly ? null : onChange} />
      <Row>
        <Tone
          label={text('light')}
          page={surfaces.light[0]}
          tone={colours.light.primary}
          ink={colours.light['on-primary']}
        />
        <Tone
          label={text('dark')}
          page={surfaces.dark[0]}
          tone={colours.dark.primary}
          ink={colours.dark['on-primary']}
        />
      </Row>
    </Stack>
  );
}

function Verdict({ colour, onUse }: { colour: string | null; onUse: ((colour: string) => void) | null }) {
  const text = useText('admin/branding');
  const ratioText = useRatioText();
  if (colour === null) return <Muted>{text('tonesDefault')}</Muted>;
  const colours = brandColours(colour);
  const tone = colours.light.primary;
  const lowest = Math.min(...surfaces.light.map((surface) => contrast(colour, surface)));
  const values = { ratio: ratioText(lowest), least: ratioText(minTextContrast), tone };
  if (lowest >= minTextContrast)
    return (
      <Note icon={CircleCheck} tone="success">
        {text(isToneChanged(colours) ? 'contrastDark' : 'contrastGood', values)}
      </Note>
    );
  return (
    <Stack gap={8}>
      <Note icon={TriangleAlert} tone="warning">
        {text('contrastLow', values)}
      </Note>
      {onUse === null ? null : (
        <Button size="small" onClick={() => onUse(tone)}>
          {text('useTone', { tone })}
        </Button>
      )}
    </Stack>
  );
}

function Tone({ label, page, tone, ink }: { label: string; page: string; tone: string; ink: string }) {
  const ratioText = useRatioText();
  return (
    <div className={classes.tone}>
      <svg width="72" height="40" viewBox="0 0 72 40" aria-hidden="true">
        <rect width="72" height="40" rx="8" fill={page} />
        <rect x="8" y="8" width="56" height="24" rx="6" fill={tone} />
        <rect x="22" y="18" width="28" height="4" rx="2" fill={ink} />
      </svg>
      <Stack gap={2}>
        <span>{label}</span>
        <Muted as="span">
          {tone}, {ratioText(contrast(tone, ink))}
        </Muted>
      </Stack>
    </div>
  );
}

/** `4.5:1`, rounded down. */
function useRatioText(): (ratio: number) => string {
  const { locale } = useFormats();
  const format = new Intl.NumberFormat(regional(locale), { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return (ratio) => `${format.format(Math.floor(ratio * 10) / 10)}:1`;
}
