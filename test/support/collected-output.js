export class CollectedOutput {
    text = "";
    notes = [];
    async data(lines) {
        for (const line of lines)
            this.text += `${line}\n`;
    }
    note(text) {
        this.notes.push(text);
    }
}
