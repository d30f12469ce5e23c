import Flare
import People
import SeededRandom
import Testing

struct AccessPropertyTests {
    private static let seeds = UInt64(0)..<300

    @Test func `the table answers as the page tells it`() {
        for seed in Self.seeds {
            var world = RandomTable(seed: seed)
            let table = world.table
            for _ in 0..<60 {
                let (user, now) = (AccountID.numbered(world.random.number(below: 7)), world.time())
                let (access, object) = (world.random.pick(Access.allCases, else: .read), world.object())
                let verdict = table.verdict(of: .user(user), access, on: object, at: now)
                #expect(
                    verdict.isGranted == world.isGranted(user, access, object, at: now),
                    "seed \(seed): \(user) \(access) \(object) at \(now): \(verdict)"
                )
                guard case .granted(by: let id?) = verdict else { continue }
                #expect(world.grants.contains { $0.id == id && $0.allows($0.access, at: now) })
            }
        }
    }

    @Test func `one more grant takes no right away`() {
        for seed in Self.seeds {
            var world = RandomTable(seed: seed)
            let before = world.table
            world.grants.append(world.grant(id: 99))
            let after = world.table
            for _ in 0..<40 {
                let (user, now) = (AccountID.numbered(world.random.number(below: 6)), world.time())
                let (access, object) = (world.random.pick(Access.allCases, else: .read), world.object())
                guard before.verdict(of: .user(user), access, on: object, at: now).isGranted else { continue }
                #expect(after.verdict(of: .user(user), access, on: object, at: now).isGranted, "seed \(seed)")
            }
        }
    }

    @Test func `a thing that moves has the rights of its new place`() {
        let (bob, lamp) = (AccountID.numbered(0), FlareID.numbered(0))
        for seed in Self.seeds {
            var world = RandomTable(seed: seed)
            let (from, to) = (world.somewhere(), world.somewhere())
            // Only places give rights here.
            world.grants.removeAll {
                if case .environment = $0.scope {
                    false
                } else if case .zone = $0.scope {
                    false
                } else {
                    true
                }
            }
            let table = world.table
            for place in [from, to] {
                for access in Access.allCases {
                    let now = world.time()
                    let lampVerdict = table.verdict(
                        of: .user(bob),
                        access,
                        on: .thing(lamp, zone: place.zone, environment: place.environment),
                        at: now
                    )
                    let here = table.verdict(
                        of: .user(bob),
                        access,
                        on: place.zone.map { .zone($0, environment: place.environment) }
                            ?? .environment(place.environment ?? lamp),
                        at: now
                    )
                    #expect(lampVerdict == here, "seed \(seed)")
                }
            }
        }
    }

    @Test func `nothing counts outside its dates, and an answer changes only at a date`() {
        for seed in Self.seeds {
            var world = RandomTable(seed: seed)
            for index in world.grants.indices {
                world.grants[index].starts = 20
                world.grants[index].ends = 60
            }
            let table = world.table
            for _ in 0..<20 {
                let (user, object) = (AccountID.numbered(world.random.number(below: 6)), world.object())
                let inside = table.verdict(of: .user(user), .read, on: object, at: 20)
                for now: Int64 in [.min, 0, 19, 60, 61, .max] {
                    #expect(!table.verdict(of: .user(user), .read, on: object, at: now).isGranted)
                }
                for now: Int64 in [21, 59] {
                    #expect(table.verdict(of: .user(user), .read, on: object, at: now) == inside)
                }
            }
            guard !world.grants.isEmpty else { continue }
            #expect([nil, 20, 60].contains(table.nextChange(after: .min)))
            #expect(table.nextChange(after: 19) == 20 && table.nextChange(after: 20) == 60)
            #expect(table.nextChange(after: 60) == nil)
        }
    }

    @Test func `between two changes every answer stays`() {
        for seed in Self.seeds {
            var world = RandomTable(seed: seed)
            let table = world.table
            let now = world.time()
            guard let next = table.nextChange(after: now), next > now + 1 else { continue }
            for _ in 0..<20 {
                let (user, object) = (AccountID.numbered(world.random.number(below: 6)), world.object())
                #expect(
                    table.verdict(of: .user(user), .read, on: object, at: now).isGranted
                        == table.verdict(of: .user(user), .read, on: object, at: next - 1).isGranted
                )
            }
        }
    }

    @Test func `a user who is off or pending may nothing`() {
        for seed in Self.seeds {
            var world = RandomTable(seed: seed)
            for index in world.users.indices { world.users[index].state = index % 2 == 0 ? .off : .pending }
            let table = world.table
            for _ in 0..<20 {
                let (number, object, now) = (world.random.number(below: 6), world.object(), world.time())
                let verdict = table.verdict(of: .user(.numbered(number)), .read, on: object, at: now)
                #expect(verdict == .refused(number % 2 == 0 ? .userIsOff : .userIsPending))
            }
            #expect(!table.hasLastingOwner(at: 50))
        }
    }

    @Test func `a reader sees what the verdict grants`() {
        for seed in Self.seeds {
            var world = RandomTable(seed: seed)
            let (table, now) = (world.table, world.time())
            let ceilings: [Access?] = [nil, .read, .write]
            for user in world.users {
                for access in Access.allCases {
                    let caller = Caller.user(user.id, ceiling: world.random.pick(ceilings, else: nil))
                    let reader = Reader(table, for: caller, access, at: now)
                    func verdict(_ object: AccessObject) -> Bool {
                        table.verdict(of: caller, access, on: object, at: now).isGranted
                    }
                    #expect(reader.seesDevices == verdict(.devices))
                    #expect(reader.seesEverything == verdict(.everything))
                    for (id, place) in world.places {
                        let sees = reader.sees(.thing(id, zone: place.zone, environment: place.environment))
                        #expect(sees == verdict(world.thing(id)), "seed \(seed)")
                    }
                    for number in 20..<23 {
                        let zone = AccessObject.zone(.numbered(number), environment: .numbered(30))
                        #expect(
                            reader.sees(.zone(.numbered(number), environment: .numbered(30))) == verdict(zone)
                        )
                    }
                    #expect(reader.sees(environment: .numbered(31)) == verdict(.environment(.numbered(31))))
                }
            }
        }
    }

    @Test func `who could allow something is named, and may do it`() {
        for seed in Self.seeds {
            var world = RandomTable(seed: seed)
            let (table, now) = (world.table, world.time())
            for (id, _) in world.places {
                let object = world.thing(id)
                let owners = table.owners(of: object, at: now, limit: .max)
                let isOwned = table.users.contains {
                    table.verdict(of: .user($0.id), .own, on: object, at: now).isGranted
                }
                #expect(!isOwned || !owners.isEmpty)
                for name in owners where !name.hasPrefix("group:") {
                    let user = table.user(named: name)
                    #expect(
                        user.map { table.verdict(of: .user($0.id), .own, on: object, at: now).isGranted }
                            == true
                    )
                }
            }
        }
    }
}
