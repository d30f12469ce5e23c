import Accounts
import Testing

struct AnonymousTokenTests {
    private let hour: Int64 = 3_600_000

    @Test func `a token for nobody counts for an hour`() {
        let tokens = AnonymousTokens()
        let token = tokens.make(at: 100)
        #expect(token.text.hasPrefix("tla_") && token.kind == .anonymous)
        #expect(tokens.contains(token.text, at: 100) && tokens.contains(token.text, at: 99 + hour))
        #expect(!tokens.contains(token.text, at: 100 + hour))
        #expect(!AnonymousTokens().contains(token.text, at: 100))
    }

    @Test func `no number of tokens ends another one, and each is different`() {
        let tokens = AnonymousTokens()
        let made = (0..<3000).map { tokens.make(at: Int64($0 / 3)).text }
        #expect(made.allSatisfy { tokens.contains($0, at: 1001) })
        #expect(Set(made).count == made.count)
    }

    @Test func `a token that was changed anywhere does not count, also one with a later end`() {
        let tokens = AnonymousTokens()
        let text = Array(tokens.make(at: 0).text.utf8)
        for index in text.indices {
            var changed = text
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(!tokens.contains(String(decoding: changed, as: UTF8.self), at: 1), "\(index)")
        }
    }

    @Test func `no other text is a token for nobody`() {
        let tokens = AnonymousTokens()
        let text = tokens.make(at: 0).text
        let others = [
            "", "tla_", "tlu_" + text.dropFirst(4), "tlt_" + text.dropFirst(4), String(text.dropFirst(4)),
            text + "A", String(text.dropLast()), SecretToken(.anonymous).text,
        ]
        for other in others { #expect(!tokens.contains(other, at: 1)) }
    }
}
