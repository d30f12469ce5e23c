import Accounts
import Dispatch
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

    @Test func `of a thousand and one the oldest ends`() {
        let tokens = AnonymousTokens()
        let made = (0..<1001).map { tokens.make(at: Int64($0)).text }
        #expect(made.map { tokens.contains($0, at: 1001) } == [false] + Array(repeating: true, count: 1000))
    }

    @Test func `what has ended leaves its place to others`() {
        let tokens = AnonymousTokens()
        let early = (0..<600).map { _ in tokens.make(at: 0).text }
        let late = (0..<1000).map { _ in tokens.make(at: hour).text }
        #expect(early.allSatisfy { !tokens.contains($0, at: hour - 1) })
        #expect(late.allSatisfy { tokens.contains($0, at: hour) })
    }

    @Test func `all end at once when the app is another one`() {
        let tokens = AnonymousTokens()
        let made = (0..<10).map { _ in tokens.make(at: 0).text }
        tokens.removeAll()
        #expect(made.allSatisfy { !tokens.contains($0, at: 1) })
        #expect(tokens.contains(tokens.make(at: 1).text, at: 1))
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

    @Test func `many threads may make tokens at once`() {
        let tokens = AnonymousTokens()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<100 {
                let text = tokens.make(at: 5).text
                #expect(tokens.contains(text, at: 6))
            }
        }
    }
}
