/// One simple command of a shell example: its words, without variables before it, redirections and `sudo`.
struct ShellCommand {
    let words: [String]

    var name: String { words.first ?? "" }

    /// The commands of a line; what follows `#` is a comment.
    static func commands(in line: String) -> [ShellCommand] {
        var commands: [[String]] = [[]]
        var isTarget = false
        for token in tokens(of: line) {
            switch token {
            case .separator: commands.append([])
            case .redirection: isTarget = true
            case .word(let word):
                if !isTarget { commands[commands.count - 1].append(word) }
                isTarget = false
            }
        }
        return commands.compactMap { words in
            let words = words.drop { $0 == "sudo" || $0 == "do" || $0.contains(/^[A-Z_]+=/) }
            return words.isEmpty || ["for", "done"].contains(words.first)
                ? nil : ShellCommand(words: Array(words))
        }
    }

    /// The value that follows an option.
    func value(after option: String) -> String? {
        guard let index = words.firstIndex(of: option), index + 1 < words.count else { return nil }
        return words[index + 1]
    }

    private enum Token {
        case word(String), separator, redirection
    }

    private static func tokens(of line: String) -> [Token] {
        var tokens: [Token] = []
        var word: String?
        var quote: Character?
        func endWord() {
            if let text = word { tokens.append(.word(text)) }
            word = nil
        }
        for character in line {
            switch character {
            case quote: quote = nil
            case _ where quote != nil: word = (word ?? "") + String(character)
            case "'", "\"":
                quote = character
                word = word ?? ""
            case " ": endWord()
            case "#" where word == nil: return tokens
            case "|", ";", "&":
                endWord()
                tokens.append(.separator)
            case ">", "<":
                endWord()
                tokens.append(.redirection)
            default: word = (word ?? "") + String(character)
            }
        }
        endWord()
        return tokens
    }
}
