/**
 * A search box as HTML, hidden until a script shows it. `source` is the address of the index; empty: the page
 * itself.
 */
export function searchBox(label: string, source = ''): string {
  return `<search class="search" data-source="${source}" hidden>
<input type="text" role="combobox" aria-label="${label}" placeholder="${label}" aria-autocomplete="list"
aria-expanded="false" aria-controls="search-results" autocomplete="off" autocapitalize="off" spellcheck="false"
maxlength="100" enterkeyhint="search"><kbd aria-hidden="true">/</kbd>
<div class="search-found" hidden><p class="search-note" aria-hidden="true" hidden></p><div id="search-results"
role="listbox" aria-label="Results" hidden></div></div>
<p class="search-status" role="status"></p>
</search>`
}
