import Accounts
import AccountsFixture
import Testing

struct ThingPasswordTests {
    /// The parts of a stored form: `ln`, `r` and `p`.
    private static func costs(_ hash: PasswordHash) throws -> [String: Int] {
        let text = try #require("\(hash)".split(separator: "$").dropFirst().first)
        let pairs = text.split(separator: ",").map { $0.split(separator: "=") }
        return Dictionary(
            uniqueKeysWithValues: try pairs.map { pair in
                (String(try #require(pair.first)), try #require(pair.last.flatMap { Int($0) }))
            }
        )
    }

    @Test func `a thing's password costs a fifth of a user's`() async throws {
        let registry = try TestAccounts().registry()
        let password = Array("correct horse".utf8)
        let user = try Self.costs(try await registry.passwords.hash(password))
        let thing = try Self.costs(try await registry.thingPasswords.hash(password))
        #expect(user == ["ln": 14, "r": 8, "p": 5] && thing == ["ln": 14, "r": 8, "p": 1])
    }

    @Test(arguments: [PasswordHash.Cost.user, .thing])
    func `what is not known costs the same as what is`(cost: PasswordHash.Cost) throws {
        let known = try #require(PasswordHash(of: Array("correct horse".utf8), cost: cost))
        #expect(try Self.costs(.ofNobody(cost)) == Self.costs(known))
        #expect(PasswordHash.ofNobody(cost) != .ofNobody(cost))
    }

    @Test func `a thing's password has 1 to 200 bytes`() async throws {
        let worker = PasswordWorker(capacity: 200, cost: .thing)
        let lengths = PasswordHash.thingLengths
        for count in [1, 200] {
            let password = Array(repeating: UInt8(ascii: "x"), count: count)
            let hash = try await worker.hash(password, lengths: lengths)
            #expect(try await worker.verify(password, against: "\(hash)", lengths: lengths) == true)
            #expect(try await worker.verify([0], against: "\(hash)", lengths: lengths) == false)
        }
        for count in [0, 201] {
            let password = Array(repeating: UInt8(ascii: "x"), count: count)
            await #expect(throws: AccountsError.badValue("a password must have 1 to 200 bytes")) {
                () async throws in
                _ = try await worker.hash(password, lengths: lengths)
            }
            #expect(try await worker.verify(password, against: nil, lengths: lengths) == false)
        }
    }

    @Test func `two hundred passwords of things wait, and users sign in beside them`() async throws {
        let registry = try TestAccounts().registry()
        // A cheaper hash than ours.
        let stored =
            "$scrypt$ln=8,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        let outcomes = await withTaskGroup(of: String.self) { group in
            for number in 0..<201 {
                group.addTask {
                    // Of users only 20 wait.
                    let worker = number == 0 ? registry.passwords : registry.thingPasswords
                    do throws(AccountsError) {
                        return "\(try await worker.verify(Array("a long guess".utf8), against: stored))"
                    } catch {
                        return error.code
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes == ["false": 201])
    }

    @Test func `a worker without room refuses`() async throws {
        let worker = PasswordWorker(capacity: 0, cost: .thing)
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask { (try? await worker.verify(Array("a long guess".utf8), against: nil)) != nil }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(outcomes.contains(true) && outcomes.contains(false))
        #expect(try await worker.verify(Array("a long guess".utf8), against: nil) == false)
    }
}
