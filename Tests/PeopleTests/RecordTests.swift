import Flare
import People
import SeededRandom
import Testing
import Text

struct RecordTests {
    @Test func `identifiers have sixteen letters and are read again`() {
        var random = SplitMix64(seed: 16)
        for _ in 0..<500 {
            let id = AccountID(high: random.next(), low: UInt16(truncatingIfNeeded: random.next()))
            #expect(id.description.utf8.count == 16 && AccountID(id.description) == id)
        }
        #expect(AccountID.everybody.description == "aaaaaaaaaaaaaaaa")
        #expect(AccountID(high: .max, low: .max).description == "7777777777777777")
        for text in [
            "", "aaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaa1", "AAAAAAAAAAAAAAAA", "ääääääää",
        ] {
            #expect(AccountID(text) == nil)
        }
    }

    @Test func `names are levels of topics`() {
        for name in ["a", "7", "bob", "anna-maria.b_2", String(repeating: "x", count: 64)] {
            #expect(AccountName.isLegal(name), "\(name)")
        }
        let illegal = [
            "", "Bob", "-a", ".a", "_a", "a/b", "a+", "#", "a b", "a\n", "a\u{0}", "bøb", "a:b",
            String(repeating: "x", count: 65),
        ]
        for name in illegal { #expect(!AccountName.isLegal(name), "\(name)") }
    }

    @Test func `scopes are read as they are written`() {
        let id = FlareID(high: 1, low: 2)
        let scopes: [Scope] = [
            .all, .devices, .device("anna-2"), .environment(id), .zone(id), .thing(id), .group(.numbered(3)),
        ]
        for scope in scopes { #expect(Scope(scope.description) == scope) }
        let texts = [
            "", "All", "thing", "thing:", "thing:lamp", "device:Anna", "device:a/b", "device:+",
            "group:staff", "thing:\(id):", " all",
            "thing:" + String(repeating: "a", count: 100_000),
        ]
        for text in texts { #expect(Scope(text) == nil, "\(text.prefix(40))") }
        #expect(ScopeText("thing:table-lamp") == .object(.thing, "table-lamp"))
        #expect(ScopeText("group:a:b") == .group("a:b"))
        #expect(ScopeText("zone:\u{301}a") == .object(.zone, "\u{301}a"))
        let longest = String(repeating: "\u{1F600}", count: 200)
        #expect(ScopeText("thing:\(longest)") == .object(.thing, longest))
        #expect(ScopeText("thing:\(longest)a") == nil)
        #expect(Scope(ObjectReference(.device, id)) == nil)
    }

    @Test func `grantees are read as they are written`() {
        for grantee in [Grantee.user(.numbered(1)), .group(.everybody)] {
            #expect(Grantee(grantee.description) == grantee)
        }
        for text in [
            "", "bob", "user:", "user:bob", "group", "rule:aaaaaaaaaaaaaaaa", "user:aaaaaaaaaaaaaaaa:",
        ] {
            #expect(Grantee(text) == nil)
        }
    }

    @Test func `random and damaged texts are refused or read again`() {
        let corpus = [
            "thing:000000000000000100000002", "group:aaaaaaaaaaaaaaab", "all", "user:7777777777777777",
        ]
        var fuzz = Fuzz(seed: 16, corpus: corpus + ["2030-01-01T00:00:00.5+01:00", "2000-02-29"])
        for _ in 0..<Fuzz.count {
            let text = String(decoding: fuzz.next(), as: UTF8.self)
            if let scope = Scope(text) { #expect(Scope(scope.description) == scope) }
            if let grantee = Grantee(text) { #expect(grantee.description == text) }
            if let id = AccountID(text) { #expect(id.description == text) }
            if let time = CivilTime(text) { #expect(CivilTime(time.description) == time) }
        }
    }
}
