import Glibc

/// The part of NVIDIA's management library that is used, opened at run time where there is one.
package struct NVML: Sendable {
  /// The library's functions; each returns 0 for success.
  package struct Functions: Sendable {
    package typealias Initialize = @convention(c) () -> Int32
    package typealias Count = @convention(c) (UnsafeMutablePointer<UInt32>?) -> Int32
    package typealias Handle =
      @convention(c) (
        UInt32, UnsafeMutablePointer<OpaquePointer?>?
      ) -> Int32
    package typealias Name =
      @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<CChar>?, UInt32
      ) -> Int32
    package typealias Energy =
      @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UInt64>?
      ) -> Int32

    /// `nvmlInit_v2`.
    package var initialize: Initialize
    /// `nvmlDeviceGetCount_v2`.
    package var count: Count
    /// `nvmlDeviceGetHandleByIndex_v2`.
    package var handle: Handle
    /// `nvmlDeviceGetName`.
    package var name: Name
    /// `nvmlDeviceGetTotalEnergyConsumption`: millijoules since the driver was loaded.
    package var energy: Energy

    package init(
      initialize: @escaping Initialize, count: @escaping Count, handle: @escaping Handle,
      name: @escaping Name, energy: @escaping Energy
    ) {
      self.initialize = initialize
      self.count = count
      self.handle = handle
      self.name = name
      self.energy = energy
    }
  }

  private let functions: Functions

  /// The name the driver installs the library under.
  package static let libraryName = "libnvidia-ml.so.1"

  /// Opens the library and initializes it; nil where it is missing, too old or without a driver.
  ///
  /// It stays open: it is the driver's, and other parts of the process may hold it, too.
  package static func open(_ library: String = libraryName) -> NVML? {
    guard let handle = dlopen(library, RTLD_NOW | RTLD_LOCAL),
      let initialize = dlsym(handle, "nvmlInit_v2"),
      let count = dlsym(handle, "nvmlDeviceGetCount_v2"),
      let device = dlsym(handle, "nvmlDeviceGetHandleByIndex_v2"),
      let name = dlsym(handle, "nvmlDeviceGetName"),
      let energy = dlsym(handle, "nvmlDeviceGetTotalEnergyConsumption")
    else { return nil }
    return NVML(
      Functions(
        initialize: unsafeBitCast(initialize, to: Functions.Initialize.self),
        count: unsafeBitCast(count, to: Functions.Count.self),
        handle: unsafeBitCast(device, to: Functions.Handle.self),
        name: unsafeBitCast(name, to: Functions.Name.self),
        energy: unsafeBitCast(energy, to: Functions.Energy.self)))
  }

  /// A library by its functions; nil when it does not initialize.
  package init?(_ functions: Functions) {
    guard functions.initialize() == 0 else { return nil }
    self.functions = functions
  }

  /// The energy counter of the only device of that name.
  ///
  /// Vulkan and the library put `NVIDIA` before a name or not, depending on the driver. Of several
  /// devices of one name nobody can tell which it is, so there is no counter: nil.
  package func energy(ofDeviceNamed name: String) -> EnergySource? {
    var count: UInt32 = 0
    guard functions.count(&count) == 0 else { return nil }
    var found: [NVMLEnergy] = []
    for index in 0..<min(count, Self.mostDevices) {
      var handle: OpaquePointer?
      guard functions.handle(index, &handle) == 0, let handle,
        Self.model(deviceName(handle)) == Self.model(name)
      else { continue }
      found.append(NVMLEnergy(device: UInt(bitPattern: handle), energy: functions.energy))
    }
    guard found.count == 1, found[0].microjoules() != nil else { return nil }
    return EnergySource(name: "nvml", isGPU: true, counters: found)
  }

  /// More devices than this no machine has.
  private static let mostDevices: UInt32 = 256

  private func deviceName(_ device: OpaquePointer) -> String {
    // The library's own limit is 96 with the closing zero; it is written whether or not one came.
    var name = [CChar](repeating: 0, count: 97)
    guard functions.name(device, &name, 96) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func model(_ name: String) -> Substring {
    name.hasPrefix("NVIDIA ") ? name.dropFirst(7) : name[...]
  }
}

/// A GPU's counter.
private struct NVMLEnergy: EnergyCounter {
  /// The library's handle, a pointer it never frees.
  let device: UInt
  let energy: NVML.Functions.Energy
  let range: UInt64? = nil

  func microjoules() -> UInt64? {
    var millijoules: UInt64 = 0
    guard energy(OpaquePointer(bitPattern: device), &millijoules) == 0 else { return nil }
    let (microjoules, overflow) = millijoules.multipliedReportingOverflow(by: 1000)
    return overflow ? nil : microjoules
  }
}
