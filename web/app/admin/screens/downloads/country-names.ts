import { useLocale, useText } from '../../../texts.ts';

export function useCountryName(): (code: string) => string {
  const text = useText('admin/downloads');
  const locale = useLocale();
  return (code) => {
    if (code === '') return text('unknown');
    try {
      return new Intl.DisplayNames([locale], { type: 'region' }).of(code) ?? code;
    } catch {
      return code;
    }
  };
}
