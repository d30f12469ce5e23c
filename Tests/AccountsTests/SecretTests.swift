import Accounts
import AccountsFixture
import People
import SeededRandom
import Testing

struct SecretTests {
    private static func password(_ text: String) -> [UInt8] { Array(text.utf8) }

    // MARK: Passwords

    @Test func `a password matches its own hash only, also after it was stored`() throws {
        let hash = try #require(PasswordHash(of: Self.password("correct horse")))
        let text = hash.description
        #expect(
            text.hasPrefix("$scrypt$ln=14,r=8,p=5$") && !text.contains("=" + "=") && !text.contains("horse")
        )
        let stored = try #require(PasswordHash(text))
        #expect(stored == hash && stored.matches(Self.password("correct horse")))
        #expect(!stored.matches(Self.password("correct horsf")))
    }

    /// - Source: RFC 7914, section 12: the third vector has N = 16384, r = 8, p = 1 and 64 bytes.
    @Test func `the hash is scrypt`() throws {
        let text =
            "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$"
            + "cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw"
        let hash = try #require(PasswordHash(text))
        #expect(hash.description == text)
        #expect(hash.matches(Self.password("pleaseletmein")))
    }

    @Test func `damaged hashes match nothing and trap nothing`() throws {
        let text = "$scrypt$ln=14,r=8,p=5$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        #expect(PasswordHash(text) != nil)
        let damaged = [
            "", "$", "$$$$", "$scrypt$$$", "scrypt", String(text.dropFirst()), String(text.dropLast(40)),
            text.replacingOccurrences("ln=14", "ln=63"), text.replacingOccurrences("ln=14", "ln=17"),
            text.replacingOccurrences("r=8", "r=99999999999999999999"),
            text.replacingOccurrences("p=5", "p=0"),
            text.replacingOccurrences("p=5", "p=-1"), text.replacingOccurrences("ln=14,", ""), text + "$",
            text.replacingOccurrences("AAAA$", "AAA!$"), String(repeating: "$", count: 100_000),
        ]
        for text in damaged { #expect(PasswordHash(text) == nil, "\(text.prefix(80))") }
        var fuzz = Fuzz(seed: 16, corpus: [text])
        for _ in 0..<5000 { _ = PasswordHash(String(decoding: fuzz.next(), as: UTF8.self)) }
    }

    @Test func `a password has ten bytes to a kilobyte`() throws {
        for count in [0, 9, 1025, 1_000_000] {
            #expect(PasswordHash(of: Array(repeating: 0x61, count: count)) == nil)
        }
        let hash = try #require(PasswordHash(of: Array(repeating: 0x61, count: 1024)))
        #expect(!hash.matches(Array(repeating: 0x61, count: 1_000_000)))
        #expect(PasswordHash(of: Array(repeating: 0, count: 10)) != nil)
    }

    // MARK: The worker

    @Test func `the worker computes what waits, and refuses what is too much`() async throws {
        let worker = PasswordWorker()
        // A cheaper hash than ours.
        let stored =
            "$scrypt$ln=12,r=8,p=5$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        let outcomes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    do throws(AccountsError) {
                        return try await worker.verify(Self.password("correct horse"), against: stored)
                            ? "yes" : "no"
                    } catch {
                        return error.code
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        // One is computed, 20 wait; more follow if one ends meanwhile.
        #expect(outcomes["no", default: 0] >= 21)
        #expect(outcomes["rate_limited", default: 0] > 0)
        #expect(outcomes["yes"] == nil)
    }

    @Test func `the worker knows right passwords from wrong ones`() async throws {
        let worker = PasswordWorker()
        let hash = try await worker.hash(Self.password("correct horse"))
        #expect(try await worker.verify(Self.password("correct horse"), against: "\(hash)") == true)
        #expect(try await worker.verify(Self.password("incorrect horse"), against: "\(hash)") == false)
        #expect(try await worker.verify(Self.password("correct horse"), against: "damaged") == false)
        #expect(try await worker.verify(Array(repeating: 0x61, count: 1 << 20), against: "\(hash)") == false)
        await #expect(throws: AccountsError.badValue(PasswordHash.rule)) { () async throws in
            _ = try await worker.hash(Array(repeating: 0x61, count: 1 << 20))
        }
    }

    @Test func `unknown names are not answered sooner than a hash takes`() async throws {
        let worker = PasswordWorker()
        for stored in [nil, "damaged"] as [String?] {
            let start = ContinuousClock.now
            let isRight = try await worker.verify(Self.password("wrong horse"), against: stored)
            // The fastest machines need more than this for 16 MB, five times.
            #expect(ContinuousClock.now - start > .milliseconds(25))
            #expect(!isRight)
        }
    }

    // MARK: Tokens

    @Test(arguments: SecretToken.Kind.allCases)
    func `secrets are read as they are written, and print nothing`(kind: SecretToken.Kind) throws {
        let secret = SecretToken(kind)
        #expect(SecretToken(secret.text, kind) == secret)
        #expect(secret.text.hasPrefix("tlu_") == (kind == .token))
        #expect(secret.text.utf8.count == (kind == .session ? 43 : 47))
        #expect("\(secret)" == "***" && secret.hash.count == 32 && secret != SecretToken(kind))
    }

    @Test(arguments: SecretToken.Kind.allCases)
    func `a secret of one kind is none of another`(kind: SecretToken.Kind) {
        let text = SecretToken(kind).text
        for other in SecretToken.Kind.allCases where other != kind {
            #expect(SecretToken(text, other) == nil, "\(other)")
        }
    }

    @Test func `cut, doubled and changed tokens are none`() {
        let text = SecretToken(.token).text
        let others = [
            "", "tlu_", String(text.dropLast()), String(text.dropFirst()), text + text, text + "=",
            text + "A", " " + text,
            "TLU_" + text.dropFirst(4), String(text.dropLast()) + "+", String(text.dropLast()) + "é",
            String(repeating: text, count: 30_000),
        ]
        for other in others { #expect(SecretToken(other, .token) == nil) }
        // The last letter has four bits that count; another one with the same is not accepted.
        let endings = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        #expect(endings.count { SecretToken(text.dropLast() + String($0), .token) != nil } == 16)
    }

    // MARK: The index

    @Test func `a session lasts from its last use, a token until its end`() {
        let (session, token) = (SecretToken(.session), SecretToken(.token))
        let bob = SecretHolder.user(.everybody)
        var index = SecretIndex(
            [
                SecretRecord(session, of: bob, name: "", made: 0, until: 100_000),
                SecretRecord(token, of: bob, name: "panel", ceiling: .read, made: 0, until: 500_000),
            ],
            sessionLifetime: 100_000
        )
        #expect(index.use(session, at: 99_999)?.caller == .user(.everybody, ceiling: nil))
        #expect(index.use(session, at: 199_998) != nil)
        #expect(index.use(session, at: 299_998) == nil)
        #expect(index.use(token, at: 499_999)?.caller == .user(.everybody, ceiling: .read))
        #expect(index.use(token, at: 500_000) == nil)
        #expect(index.use(SecretToken(.token), at: 0) == nil)
        let uses = index.takeUses()
        #expect(Set(uses.map(\.until)) == [nil, 299_998] && index.takeUses().isEmpty)
    }

    @Test func `uses within a minute are one`() {
        let token = SecretToken(.token)
        var index = SecretIndex(
            [SecretRecord(token, of: .user(.everybody), name: "x", made: 0, until: nil)],
            sessionLifetime: 1
        )
        for now in Int64(0)..<60 { _ = index.use(token, at: now * 1000) }
        #expect(index.takeUses().map(\.used) == [0])
        _ = index.use(token, at: 59_999)
        #expect(index.takeUses().isEmpty)
        _ = index.use(token, at: 60_000)
        #expect(index.takeUses().count == 1)
    }
}

extension String {
    func replacingOccurrences(_ old: String, _ new: String) -> String {
        split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
    }
}
