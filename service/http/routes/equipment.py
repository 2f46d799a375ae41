"""What the table runs on: for the floor, which compares its tables."""

from fastapi import APIRouter

from service.access.roles import Permission
from service.http.deps import PartsDep
from service.http.equipment import equipment
from service.http.equipment_schemas import EquipmentOut
from service.http.permissions import requires

router = APIRouter(prefix="/v1", tags=["health"])


@router.get("/equipment", dependencies=[requires(Permission.HEALTH)])
def get_equipment(parts: PartsDep) -> EquipmentOut:
    """Version, models, settings, calibration, machine and the rate of verified hands."""
    return EquipmentOut.model_validate(equipment(parts))
